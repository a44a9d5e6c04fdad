// Which panel of the state is shown.
import type { PanelName } from "../panels/Panels.svelte";

class Panel {
  shown = $state<PanelName>("variables");
}

export const panel = new Panel();
