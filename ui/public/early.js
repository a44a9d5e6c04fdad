// Calls the server while the page's own script is still on its way: what it says meanwhile is kept for that.
// Where that one was faster, it has called by itself.
if (window.borgesEarly === undefined) {
  const url = new URL("./socket", location.href);
  url.protocol = "ws:";
  url.hash = "";
  const socket = new WebSocket(url.href);
  socket.binaryType = "arraybuffer";
  const heard = [];
  socket.onmessage = (message) => heard.push(message);
  window.borgesEarly = { socket, heard };
}
