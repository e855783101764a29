import { readdir } from 'node:fs/promises'

/** The files and directories whose name has a number, as the grammar says. */
export async function numberedFiles(directory: string, grammar: RegExp): Promise<{ name: string; id: number }[]> {
  const names = await readdir(directory).catch(() => [])
  return names.flatMap((name) => {
    const id = grammar.exec(name)?.[1]
    return id === undefined ? [] : [{ name, id: Number(id) }]
  })
}
