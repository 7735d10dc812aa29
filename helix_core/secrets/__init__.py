"""Mask the secrets of a text: what is a secret, by form, place, sentence and odds, and the only way to clean text.

``masking.mask`` is the entry point. Pure: bytes in, ``Masked`` out.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.secrets.masked import Masked, masked_at
    from helix_core.secrets.masking import holds_mask, is_only_masks, mask, mask_typed, masked_line, quoted

__all__ = ["Masked", "holds_mask", "is_only_masks", "mask", "mask_typed", "masked_at", "masked_line", "quoted"]

__getattr__ = lazy_face(
    __name__,
    {
        "masked": ("Masked", "masked_at"),
        "masking": ("holds_mask", "is_only_masks", "mask", "mask_typed", "masked_line", "quoted"),
    },
)
