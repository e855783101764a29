import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { archiveOf, type PlainFile } from '../../engine/build/tar.ts'
import { librariesOf } from '../../lib/elf.ts'
import { EdgeProblem } from '../edge.ts'

/**
 * A build context for an image of the machine's own HAProxy: the program, the libraries it loads, and nothing else. For
 * machines that reach no registry.
 */
export async function edgeImageContext(options: { haproxyPath?: string } = {}): Promise<Buffer> {
  const { haproxyPath = '/usr/sbin/haproxy' } = options
  const program = await readProgram(haproxyPath)
  const libraries = await librariesOf(haproxyPath)
  const files: PlainFile[] = [
    { path: 'Dockerfile', mode: 0o644, contents: Buffer.from(dockerfile(libraries)) },
    { path: 'root/usr/sbin/haproxy', mode: 0o755, contents: program },
  ]
  for (const path of libraries) files.push({ path: `root${path}`, mode: 0o755, contents: await readFile(path) })
  return archiveOf(files)
}

async function readProgram(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new EdgeProblem('There is no HAProxy on this machine. Install the package haproxy, or make an image registry reachable.', {
      cause,
    })
  }
}

function dockerfile(libraries: readonly string[]): string {
  const folders = [...new Set(libraries.map((path) => dirname(path)))].join(':')
  return ['FROM scratch', 'COPY root/ /', 'ENV PATH=/usr/sbin', `ENV LD_LIBRARY_PATH=${folders}`, 'CMD ["haproxy", "-v"]', ''].join('\n')
}
