// Who wrote a value last: goes back there, and says how to come back.
import { view } from "../state/view.svelte";

export async function who(expression: string): Promise<void> {
  const reply = await view.run({ command: "who", what: expression });
  if (reply?.reply === "written") {
    view.message("info", `${reply.what}: ${reply.before} → ${reply.after}, written here`, view.undo());
  } else if (reply?.reply === "done") {
    view.message("info", reply.message);
  }
}
