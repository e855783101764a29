// What no linter can see: rules about the text of files. Each has a fixture that shows it biting.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const isSource = (file) => /[.](ts|tsx|mjs|cjs|js)$/.test(file)
const isTest = (file) => /[.](test[.]tsx?|long[.]ts)$/.test(file)
const anyFile = () => true

/** LIST of the guards: where each looks, what it forbids, and what to do instead. */
export const textGuards = [
  {
    name: 'shell-option',
    looksAt: isSource,
    forbidden: /\bshell\s*:\s*(?:true|['"`])/,
    instead: 'start programs with an argument array and no shell',
  },
  {
    name: 'shell-program',
    looksAt: isSource,
    forbidden: /\b(?:spawn|spawnSync|execFile|execFileSync|runSystemCommand)\(\s*['"`](?:\/bin\/|\/usr\/bin\/)?(?:ba|da|z)?sh['"`]/,
    instead: 'start the program itself, with an argument array',
  },
  {
    name: 'unfinished-tests',
    looksAt: isTest,
    forbidden: /\b(?:describe|it|test|suite)(?:\.\w+)*\.(?:only|skip|todo)\b|\b(?:fit|xit|xtest|fdescribe|xdescribe)\(/,
    instead: 'a test runs everywhere, or says at run time why it cannot (skipIf, runIf)',
  },
  {
    name: 'machine-path',
    looksAt: anyFile,
    forbidden: /(?<![\w.-])\/(?:home|Users|work)\/[a-z][\w-]*\//,
    instead: 'paths are relative to the repository',
  },
  {
    name: 'registry-host',
    looksAt: anyFile,
    forbidden:
      /"resolved": "https?:|\bregistry\s*=\s*https?:|https?:\/\/(?:[\w-]+\.)*(?:registry|artifactory|nexus|mirror)[\w-]*\.(?!example\b)[a-z]/i,
    instead: 'the registry is the business of the machine, not of the repository',
  },
  {
    name: 'banned-name',
    looksAt: (file) => isSource(file) && /^(?:utils|helpers|common|misc|manager|data|info|base)[.]/.test(path.basename(file)),
    forbidden: /^/,
    instead: 'name the file after what it does, in the words of the glossary',
  },
]

const skippedFolders = new Set(['node_modules', 'dist', 'data', '.git', '.cache', 'fixtures'])
const binary = /[.](png|ico|woff2?|gz|sqlite)$/

/**
 * Every text file below `directory`, relative to it; fixtures are wrong on purpose and left out.
 * @param {string} directory
 * @returns {string[]}
 */
export function textFiles(directory, below = '') {
  return readdirSync(path.join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(below, entry.name)
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : textFiles(directory, name)
    return entry.isFile() && !binary.test(entry.name) && !entry.name.endsWith('.log') ? [name] : []
  })
}

/**
 * The first violation of each guard in each of these files.
 * @param {string} directory
 * @param {string[]} files
 * @returns {{ guard: string, file: string, line: number, instead: string }[]}
 */
export function checkText(directory, files) {
  return files.flatMap((file) => {
    const guards = textGuards.filter((guard) => guard.looksAt(file))
    const lines = readFileSync(path.join(directory, file), 'utf8').split('\n')
    return guards.flatMap(({ name, forbidden, instead }) => {
      const line = lines.findIndex((text) => forbidden.test(text)) + 1
      return line > 0 ? [{ guard: name, file, line, instead }] : []
    })
  })
}
