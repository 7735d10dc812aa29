/** What the view shows while no server can run: the reason, what is offered, and what that costs. Pure. */
import { noPythonText, refusedSetting } from '../python/resolve';
import type { ServerState } from '../server/state';
import type { Missing } from './messages';

/** Said before anything is downloaded; the folder of the environment is the extension's own. */
export const setUpCost = 'It takes a minute or two and about 200 MB, in a folder of this extension.';

export function missingOf(state: ServerState): Missing | null {
  switch (state.kind) {
    case 'noPython': {
      const text = noPythonText(state.resolution);
      if (refusedSetting(state.resolution) !== undefined)
        return { title: 'The interpreter cannot run Helix', text, actions: ['choose', 'setUp', 'logs'], isBusy: false };
      return state.resolution.base
        ? { title: 'Set up Helix', text: `${text} ${setUpCost}`, actions: ['setUp', 'choose'], isBusy: false }
        : { title: 'No Python found', text, actions: ['choose', 'setUp', 'logs'], isBusy: false };
    }
    case 'settingUp':
      return { title: 'Setting up …', text: state.step ?? 'Making the environment', actions: [], isBusy: true };
    case 'crashed':
      return { title: 'Helix stopped', text: state.message, actions: ['restart', 'logs'], isBusy: false };
    case 'stopped':
    case 'starting':
    case 'running':
      return null;
  }
}
