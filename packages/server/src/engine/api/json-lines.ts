/** Parses the engine's progress streams: JSON objects separated by line feeds, in chunks that may end anywhere. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let parts: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)])
        .toString('utf8')
        .trim()
      parts = []
      from = at + 1
      if (line !== '') yield JSON.parse(line)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  const rest = Buffer.concat(parts).toString('utf8').trim()
  if (rest !== '') yield JSON.parse(rest)
}
