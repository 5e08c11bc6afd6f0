/** How a creation, and the number of accounts left, wait for a person: the update `take`, and what the state shows of the wait. */
import { defineUpdate, setHandler } from '@temporalio/workflow';
import { type ShownWait, type Taking, UPDATE, type Wait } from '../../contract';
import { assertTaking, shownWait, takenOn, waitAfter } from '../shared/wait';

interface MayWait<Reason extends string> extends ShownWait {
  attention: Reason | null;
}

export class Waiting<Reason extends string, State extends MayWait<Reason>> {
  /** `wait`: from the run before. `show`: called when somebody has taken the wait on. */
  constructor(
    private readonly state: State,
    show: () => void,
    public wait: Wait<Reason> | null = null,
  ) {
    const takeOn = ({ by, note }: Taking): State => {
      this.wait = takenOn(this.wait, { by, note, at: Date.now() });
      show();
      return state;
    };
    const validator = (taking: Taking) => assertTaking(taking, state.attention);
    setHandler(defineUpdate<State, [Taking]>(UPDATE.take), takeOn, { validator });
  }

  /** Starts the wait for the state's present reason, unless it has started before. */
  note(): void {
    this.wait = waitAfter(this.wait, this.state.attention, Date.now());
    Object.assign(this.state, shownWait(this.wait));
  }
}
