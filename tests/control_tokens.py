"""The tokens with which chat templates frame roles, turns, thoughts and tools, by the family that documents them.

Sources are the templates and tokenizer files that the families publish: OpenAI's Harmony response format, Meta's prompt
formats, mistral-common's tokenizers, Google's Gemma formatting page, and the ``tokenizer_config.json`` of the others.
"""

BAR, BLANK = "\uff5c", "\u2581"

CONTROL_TOKENS = {
    "ChatML, Qwen, Yi, InternLM": "<|im_start|> <|im_end|> <|im_sep|> <|im_middle|> <|endoftext|> <|action_start|> "
    "<|action_end|> <|plugin|> <|interpreter|> <|object_ref_start|> <|vision_start|> <|fim_prefix|> <|file_sep|>",
    "Qwen and Hermes, tools and thoughts": "<tool_call> </tool_call> <tool_response> </tool_response> <tools> </tools> "
    "<think> </think> <function=delete_all> <parameter=path>",
    "Harmony": "<|start|> <|end|> <|message|> <|channel|> <|constrain|> <|return|> <|call|> <|startoftext|>",
    "Llama 2": "<s> </s> <unk> [INST] [/INST] <<SYS>> <</SYS>>",
    "Llama 3 and 4": "<|begin_of_text|> <|end_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> "
    "<|python_tag|> <|finetune_right_pad_id|> <|reserved_special_token_7|> <|header_start|> <|header_end|> <|eot|> "
    "<|eom|> <|image|>",
    "Mistral": "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_CALLS] [TOOL_RESULTS] "
    "[/TOOL_RESULTS] [TOOL_CONTENT] [ARGS] [CALL_ID] [THINK] [/THINK] [PREFIX] [MIDDLE] [SUFFIX] [IMG] [IMG_BREAK] "
    "[IMG_END] [AUDIO] [BEGIN_AUDIO] [MODEL_SETTINGS] <pad>",
    "Gemma": "<start_of_turn> <end_of_turn> <bos> <eos> <start_of_image> <end_of_image> <|turn> <turn|> <|tool_call> "
    "<tool_call|> <|channel> <channel|> <unused12>",
    "Phi": "<|system|> <|user|> <|assistant|> <|end|> <|tool|> <|/tool|> <|tool_call|> <|/tool_call|> <|dummy_3|>",
    "DeepSeek": " ".join(
        [
            *(f"<{BAR}{name.replace('_', BLANK)}{BAR}>" for name in ("begin_of_sentence", "end_of_sentence")),
            *(f"<{BAR}{name}{BAR}>" for name in ("User", "Assistant")),
            *(f"<{BAR}tool{BLANK}{name}{BAR}>" for name in ("calls▁begin", "call▁begin", "sep", "outputs▁end")),
            f"<{BAR}DSML{BAR}function_calls>",
            f"</{BAR}DSML{BAR}invoke>",
        ]
    ),
    "Hunyuan": f"<{BAR}hy_User{BAR}> <{BAR}hy_Assistant{BAR}> <{BAR}hy_place▁holder▁no▁2{BAR}>",
    "Command R": "<|START_OF_TURN_TOKEN|> <|END_OF_TURN_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|SYSTEM_TOKEN|> "
    "<|START_THINKING|> <|START_ACTION|> <BOS_TOKEN> <EOS_TOKEN>",
    "GLM": "[gMASK] [sMASK] <sop> <eop> <|system|> <|observation|> <|begin_of_image|> <arg_key> </arg_value>",
    "Granite": "<|start_of_role|> <|end_of_role|> <|end_of_text|> <|tool_call|>",
    "Kimi": "[BOS] [EOS] [EOT] <|im_user|> <|im_assistant|> <|tool_calls_section_begin|> <|media_pad|>",
    "EXAONE": "[|system|] [|user|] [|assistant|] [|tool|] [|endofturn|]",
    "MiniMax": "]~!b[ ]~b] [e~[ <minimax:tool_call> </minimax:tool_call>",
    "MiniCPM and TeleChat": "<用户> <AI> <_user> <_bot> <_system> <_start> <_end>",
    "Seed": "<seed:bos> <seed:eos> <seed:think> </seed:think> <seed:tool_call>",
    "Baichuan and InternLM 1": "<reserved_106> <reserved_107> <eoh> <eoa>",
    "OpenChat, Falcon, Zephyr": "<|end_of_turn|> <|prompter|> <|assistant|> <|sep|>",
    "Nemotron": "<SPECIAL_10> <TOOLCALL> </TOOLCALL> <AVAILABLE_TOOLS> <TOOL_RESPONSE>",
    "StarCoder and CodeLlama": "<fim_prefix> <fim-middle> <file_sep> <repo_name> <PRE> <SUF> <MID> <EOT>",
    "T5 and BERT": "<extra_id_0> <mask:1>",
    "Claude": "<function_calls> </function_calls> <function_results> <invoke>",
}
ALL = sorted({token for tokens in CONTROL_TOKENS.values() for token in tokens.split()})


def broken(token: str) -> str:
    """The token as it may be shown: its first character as an escape."""
    return f"\\x{ord(token[0]):02x}{token[1:]}"
