// What a step of a tour does on the page of a model program.
import { named } from "./judge";
import { model, type Panel } from "./state.svelte";

export interface Deed {
  /** Everything is run. */
  run?: boolean;
  /** This is said to be right. */
  right?: string;
  /** The first end that says this is looked at. */
  end?: string;
  /** This is shown beside it. */
  panel?: Panel;
}

export async function play({ run, right, end, panel }: Deed): Promise<void> {
  if (run) {
    await model.run();
  }
  await model.attempt(async () => {
    if (right !== undefined) {
      await model.say(right);
    }
    if (end !== undefined) {
      await model.loadStates();
      const found = model.endings?.find((one) => named(one).includes(end));
      if (found?.state == null) {
        throw new Error(`no run ends with ${end} any more`);
      }
      await model.lookAtState(found.state);
    }
  });
  if (panel) {
    model.panel = panel;
  }
}
