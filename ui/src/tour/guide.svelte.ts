// Which tour is being taken, and how far it has come.
import { KEYS } from "../keys";
import { play } from "../model/tour";
import { panel } from "../state/panel.svelte";
import { view } from "../state/view.svelte";
import type { Step } from "./tours";

const KEPT = "borges.tours";

class Guide {
  private at = $state(0);
  /** Tours that were taken or closed, by program. */
  private done = $state.raw<ReadonlySet<string>>(kept());
  busy = $state(false);
  private pressed = false;
  private already = false;

  readonly program = $derived(view.info?.program ?? view.model?.name ?? "");
  readonly steps = $derived<Step[]>((view.tour?.steps as Step[] | undefined) ?? []);
  readonly isOpen = $derived(this.steps.length > 0 && this.at < this.steps.length && !this.done.has(this.program));
  readonly step = $derived(this.steps[this.at] ?? null);

  get number(): number {
    return this.at + 1;
  }

  /** Does what the step says. */
  async press(): Promise<void> {
    const { step } = this;
    if (!step || this.busy) {
      return;
    }
    if (!step.press) {
      this.next();
      return;
    }
    this.busy = true;
    this.pressed = true;
    if (step.model) {
      await play(step.model);
    } else if (step.commands) {
      for (const command of step.commands) {
        await view.run(command);
      }
    } else if (step.key) {
      KEYS.find(({ keys }) => keys.includes(step.key ?? ""))?.run();
    } else if (step.control) {
      document.querySelector<HTMLElement>(`[data-tour="${step.control}"]`)?.click();
    }
    if (step.panel) {
      panel.show(step.panel);
    }
    this.busy = false;
    if (!step.shows) {
      this.next();
    }
  }

  /** Goes on if what the step leads to can be seen. */
  look(): void {
    const { step } = this;
    if (step?.shows && view.moving === 0 && !this.busy && (this.pressed || !this.already) && sees(step.shows)) {
      this.next();
    }
  }

  next(): void {
    if (this.at + 1 >= this.steps.length) {
      this.close();
    } else {
      this.at++;
      this.begin();
    }
  }

  /** What can be seen before a step was taken does not end it. */
  private begin(): void {
    this.pressed = false;
    this.already = sees(this.step?.shows ?? "");
  }

  close(): void {
    this.done = new Set(this.done).add(this.program);
    keep(this.done);
  }

  /** From its beginning. */
  again(): void {
    this.at = 0;
    this.begin();
    const done = new Set(this.done);
    done.delete(this.program);
    this.done = done;
    keep(done);
  }
}

/** Whether a text can be read on the page. */
function sees(text: string): boolean {
  return text !== "" && document.body.innerText.includes(text);
}

function kept(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEPT) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

function keep(done: ReadonlySet<string>): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify([...done]));
  } catch {
    // A browser that keeps nothing shows the tour again.
  }
}

export const guide = new Guide();
