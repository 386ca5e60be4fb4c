/**
 * Lines of node code that define `send`: it writes a message to the channel that leads to the worker, and from there to the
 * agent, past everything that checks what nodes report. `channel` is the open file.
 */
export const forge = [
  "import json, os, time",
  "links = (f'/proc/self/fd/{fd}' for fd in sorted(map(int, os.listdir('/proc/self/fd'))))",
  "channel = next(int(link.rsplit('/')[-1]) for link in links if os.path.lexists(link) and os.readlink(link).startswith('socket:'))",
  "def send(message, kind=0):",
  "    body = message if isinstance(message, bytes) else json.dumps(message).encode()",
  "    data = len(body).to_bytes(4, 'big') + bytes((kind,)) + body",
  "    while data: data = data[os.write(channel, data):]",
];
