// Holds messages against the protocol's JSON schema: one a line on standard input; a line for each that breaks it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import Ajv from "ajv-draft-04";

const SCHEMA = new URL("node_modules/.debugpy/debugProtocol.json", import.meta.url);

/** What the schema calls a message of ours; nothing for what begins with `borges/`. */
function definitionOf(message) {
  const capital = (name) => name[0].toUpperCase() + name.slice(1);
  switch (message.type) {
    case "response":
      if (!message.success) return "ErrorResponse";
      return message.command.includes("/") ? "Response" : `${capital(message.command)}Response`;
    case "event":
      return message.event.includes("/") ? "Event" : `${capital(message.event)}Event`;
    default:
      return "ProtocolMessage";
  }
}

/** A function that says what of a message breaks the schema. */
export function checker() {
  const schema = JSON.parse(readFileSync(SCHEMA, "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(schema, "dap");
  return (message) => {
    const name = definitionOf(message);
    const check = ajv.getSchema(`dap#/definitions/${name}`);
    if (!check) return [`the protocol has no ${name}`];
    if (check(message)) return [];
    return check.errors.map((error) => `${name}${error.instancePath} ${error.message}`);
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = checker();
  const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);
  let bad = 0;
  for (const line of lines) {
    const errors = check(JSON.parse(line));
    if (errors.length === 0) continue;
    bad += 1;
    console.log(`${errors.join("; ")}: ${line.slice(0, 500)}`);
  }
  console.log(`${lines.length} messages, ${bad} of which break the schema`);
  process.exit(bad ? 1 : 0);
}
