import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../testing/harness/cpu-seconds.ts'
import { readDockerfile } from './dockerfile.ts'

const kinds = (text: string) => readDockerfile(text).fetches.map(({ line, kind, text: source }) => `${line} ${kind} ${source}`)

describe('what a Dockerfile makes the engine fetch', () => {
  it('is nothing for files of the repository', () => {
    const lines = [
      'COPY . /app',
      'ADD src/ /app',
      'ADD ["a b", "/x"]',
      'ADD target/${JAR} app.jar',
      'ADD app-$V.tar /',
      'RUN wget http://10.0.0.1/',
    ]
    for (const line of lines) expect(kinds(line)).toEqual([])
  })

  it.each([
    ['ADD http://127.0.0.1/x /x', '1 url http://127.0.0.1/x'],
    ['add --chown=1:1 --chmod=600 https://a.example/x /x', '1 url https://a.example/x'],
    ['ADD ["http://10.0.0.1/x", "/x"]', '1 url http://10.0.0.1/x'],
    ['ADD ["\\u0068ttp://10.0.0.1/x", "/x"]', '1 url http://10.0.0.1/x'],
    ['ADD local http://10.0.0.1/x /x/', '1 url http://10.0.0.1/x'],
    ['ADD "http://10.0.0.1/x" /x', '1 url http://10.0.0.1/x'],
    ["ADD h'tt'p://10.0.0.1/x /x", '1 url http://10.0.0.1/x'],
    ['ADD ht\\tp://10.0.0.1/x /x', '1 url http://10.0.0.1/x'],
    ['FROM a\nADD \\\n# a comment\n\n  http://10.0.0.1/x /x', '2 url http://10.0.0.1/x'],
    ['# escape=`\nADD `\n  http://10.0.0.1/x /x', '2 url http://10.0.0.1/x'],
    ['ONBUILD ADD http://10.0.0.1/x /x', '1 url http://10.0.0.1/x'],
    ['RUN cat <<EOF\nADD http://10.0.0.1/x /x\nEOF', '2 url http://10.0.0.1/x'],
    ['ADD https://github.com/o/r/releases/${V}/x /x', '1 url https://github.com/o/r/releases/${V}/x'],
    ['ADD http://${HOST}/x /x', '1 unknown http://${HOST}/x'],
    ['ADD ${URL} /x', '1 unknown ${URL}'],
    ['ADD ht${X} /x', '1 unknown ht${X}'],
    ['ADD https://a.example/r.git /x', '1 git https://a.example/r.git'],
    ['ADD https://a.example/r#main /x', '1 git https://a.example/r#main'],
    ['ADD git@10.0.0.1:r.git /x', '1 git git@10.0.0.1:r.git'],
    ['ADD git://10.0.0.1/r /x', '1 git git://10.0.0.1/r'],
    ['ADD\u0085http://10.0.0.1/x /x', '1 url http://10.0.0.1/x'],
    ['\u0085ADD http://10.0.0.1/x /x', '1 url http://10.0.0.1/x'],
    ['\uFEFFADD http://10.0.0.1/x /x', '1 url http://10.0.0.1/x'],
    ['FROM --platform=linux/amd64 127.0.0.1:5000/x AS y', '1 image 127.0.0.1:5000/x'],
  ])('%j', (text, found) => {
    expect(kinds(text)).toContain(found)
  })

  it('names the program that reads the file, wherever the builder would look for it', () => {
    expect(readDockerfile('FROM a\n# syntax=x/y').frontend).toBeNull()
    for (const head of [
      '# syntax=x/y',
      '#syntax = x/y ',
      '# Syntax=x/y',
      '// syntax=x/y',
      '#!/usr/bin/x\n# syntax=x/y',
      '# escape=`\n#syntax=x/y',
    ])
      expect(readDockerfile(`${head}\nFROM a`).frontend).toBe('x/y')
    expect(readDockerfile('{"syntax":"x/y"}').frontend).toBe('JSON')
  })

  it('reads the frontend past a carriage return and blanks of all kinds', () => {
    expect(readDockerfile('# syntax = \u0085 x/y \u0085\nFROM a').frontend).toBe('x/y')
    expect(readDockerfile('# syntax=x/y\rz\nFROM a').frontend).toBe('x/y\rz')
  })

  const many = (text: string) => text.repeat(500_000 / text.length)
  it.each([
    ['blanks within a line', () => `RUN a${many(' ')}b`],
    ['blanks within a syntax comment', () => `# syntax=a${many(' ')}b\nFROM a`],
    ['blanks before and after a syntax sign', () => `#${many(' ')}syntax${many(' ')}x\nFROM a`],
    ['blanks after FROM', () => `FROM${many(' ')}`],
    ['blanks after ONBUILD', () => `ONBUILD${many(' ')}x`],
    ['ONBUILD without end', () => `${many('ONBUILD ')}x`],
    ['flags without end', () => `FROM ${many('--x ')}\nADD ${many('--x ')}`],
    ['flags of next lines', () => `FROM --${many('\u0085')}\nADD --${many('\u0085')}x`],
    ['dashes', () => `FROM ${many('-')}\nADD ${many('-')} x`],
    ['git suffixes', () => `ADD https://${many('.git')}x /x`],
    ['at signs', () => `ADD ${many('a@')} /x`],
    ['open brackets', () => `ADD ${many('[')}`],
    ['mounts', () => `RUN ${many('--mount=type=cache,source=x ')}`],
    ['quotes', () => `RUN --mount=${many('"')}\nRUN --${many("'")}`],
    ['commas', () => `RUN --mount=type=cache${many(',')}`],
    ['continued lines', () => `ADD ${many('\\\n')}x`],
  ])('is read in time when a line has very many %s', async (_, text) => {
    expect(await cpuSeconds(() => readDockerfile(text()))).toBeLessThan(5)
  })
})
