// Which panel of the state is shown.
export type PanelName = "variables" | "futures" | "stack" | "breakpoints" | "memory" | "notes";

class Panel {
  shown = $state<PanelName>("variables");
}

export const panel = new Panel();
