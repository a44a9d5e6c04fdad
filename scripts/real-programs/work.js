import * as os from "qjs:os";
import * as std from "qjs:std";

class Sorted {
  #values = [3, 1, 2];
  *each() {
    yield* this.#values.sort();
  }
}
print([...new Sorted().each()], JSON.stringify({ year: /(?<year>\d+)/u.exec("in 1984").groups.year }), 0.1 + 0.2);
const file = std.open("/power.txt", "w");
file.puts(`two to the hundredth is ${2n ** 100n}\n`);
file.close();
print(std.loadFile("/power.txt"), os.stat("/power.txt")[0].size, os.remove("/nothing"));
Promise.resolve(7).then((code) => std.exit(code));
