import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineRedaction, type PrintedLine, shownLine } from './line-redaction.ts'
import { createRedactor } from './redact.ts'
import { formsOf } from './secret-forms.ts'
import { createSecretSearch } from './secret-search.ts'

const KEY = 'correct-horse-42'
const redact = (text: string, ...secrets: string[]) =>
  createRedactor(secrets.length === 0 ? [KEY] : secrets)
    .lines(text.split('\n'))
    .join('\n')

/** What is left for the eye: colours and everything without a shape are gone, and lines are joined. */
function seen(lines: readonly string[]): string {
  // oxlint-disable-next-line no-control-regex -- colours are what is left of control characters
  return lines.join('').replaceAll(/\u001b\[[0-9;]*m|[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
}

describe('what is hidden', () => {
  it('each secret wherever it stands, the longer one first', () => {
    expect(redact('a hunter22-long b hunter22 c hunter22', 'hunter22', 'hunter22-long')).toBe('a *** b *** c ***')
  })

  it('a secret of several lines, line by line, and its short lines with their neighbours', () => {
    const pem = '-----BEGIN KEY-----\r\nabcdefgh\nijklmnop\nqr\nst=='
    expect(redact('x abcdefgh y', pem)).toBe('x *** y')
    expect(redact('ijklmnop', pem)).toBe('***')
    expect(redact(`${pem}\nqr alone`, pem)).toBe('***\n***\n***\n***\n***\nqr alone')
  })

  it('no words that settings have and that logs are full of', () => {
    expect(redact('built for production on localhost', 'production', 'Localhost', 'secret12')).toBe('built for production on localhost')
    expect(redact('a secret12 and production-42', 'secret12', 'production-42')).toBe('a *** and ***')
  })

  it('no short values: hiding "on" or "3000" would make a log unreadable', () => {
    expect(redact('turned on at 3000, a b', 'on', '3000', ' a ', 'a     b')).toBe('turned on at 3000, a b')
    expect(createRedactor([]).text('any\u001b[31mthing\u001b[0m\nelse\u0007')).toBe('anything\nelse')
  })

  it('the beginning of a secret at the end of a cut line', () => {
    expect(redact('token=correct-ho … [line cut]')).toBe('token=*** … [line cut]')
    expect(redact(`${'x'.repeat(16_370)} ${KEY}`)).not.toContain('corr')
  })

  it('not what only looks like one without its spaces', () => {
    expect(redact('in form, the rapist', 'inform', 'therapist')).toBe('in form, the rapist')
    expect(redact('my pass word, mypassword', 'my pass word')).toBe('***, mypassword')
  })

  it('the names of our own images, in every text', () => {
    const name = 'berth/0123456789abcdef0123456789abcdef'
    const redactor = createRedactor([])
    expect(redactor.text(`naming to docker.io/${name}:release done, ${name}, FROM \u001b[1mberth/\u001b[0m${name.slice(6)}`)).toBe(
      'naming to *** done, ***, FROM ***',
    )
    expect(redactor.text(`No such image: berth/pulled-ab12cd-3-${name.slice(6)}:release`)).toBe('No such image: ***')
    expect(redactor.text('berth/app-1:d2 and berth/0123')).toBe('berth/app-1:d2 and berth/0123')
  })
})

describe('a secret is found', () => {
  it.each([
    ['in colours', 'correct\u001b[31m-horse\u001b[0m-42', '***\u001b[31m\u001b[0m'],
    ['around cursor moves', 'correct\u001b[2K-hor\u001b[10;3Hse-42', '***'],
    ['around NUL and BEL', 'corr\u0000ect-\u0007horse-42', '***'],
    ['around a title', 'correct\u001b]0;a title\u0007-horse-42', '***'],
    ['around a link', '\u001b]8;;https://x.example\u001b\\correct-\u001b]8;;\u001b\\horse-42', '***'],
    ['around returns', 'correct\r-horse-42\r', '***'],
    ['around C1 controls', 'correct\u009b1m-horse\u0085-42', '***'],
    ['around what cannot be seen', 'cor\u200brect\u2060-ho\u00adrse\ufeff-42', '***'],
    ['printed over itself', 'correct-XXXXX-42\rcorrect-horse', '***'],
    ['struck twice, as manuals are', KEY.replaceAll(/./g, '$&\b$&'), '***'],
    ['behind a cursor that goes back', 'XXXrect-horse-42\u001b[16Dcor', '***'],
    ['over two lines', 'key: correct-h\norse-42!', 'key: ***\n***!'],
    ['over two lines that are indented', 'key: correct-h\n     orse-42!', 'key: ***\n     ***!'],
    ['over two lines of a step of a build', '#7 key: correct-h\n#7 orse-42!', '#7 key: ***\n#7 ***!'],
    ['over two lines with one of another step between', '#7 correct-h\n#8 other\n#7 orse-42!', '#7 ***\n#8 other\n#7 ***!'],
    ['over many lines', 'correct\n\n-\nho\nrse-42', '***\n\n***\n***\n***'],
    ['in base64', `Basic ${Buffer.from(`user:${KEY}`).toString('base64')} ok`, 'Basic *** ok'],
    ['in base64 for URLs', Buffer.from(`?>${KEY}`).toString('base64url'), '***'],
    ['in base64 over two lines', 'x\nY29ycmVjdC1o\nb3JzZS00Mg==', 'x\n***\n***'],
    ['in a URL', 'https://x.example/?key=%63orrect%2dhorse%2D42&a=b', 'https://x.example/?key=***&a=b'],
    ['in an escaped text', String.raw`"\u0063orrect-\x68orse-\u{34}2"`, '"***"'],
  ])('%s', (_how, printed, shown) => expect(redact(printed)).toBe(shown))

  it('with quotes, backslashes, spaces and line feeds, in JSON, in a URL and for a shell', () => {
    const odd = 'a "quoted"\\path/ü\nsecond'
    const forms = [JSON.stringify(odd), JSON.stringify(odd).replaceAll('/', '\\/').replaceAll('ü', '\\u00FC')]
    const urls = [encodeURIComponent(odd), encodeURIComponent(odd).toLowerCase(), new URLSearchParams({ odd }).toString().slice(4)]
    for (const form of [...forms, ...urls, String.raw`a\ \"quoted\"\\path/ü`]) {
      expect(redact(form, odd)).not.toMatch(/quoted|path|second/)
    }
  })

  it('no line is held back for longer than a moment, and what may be a beginning is masked then', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const shown: string[] = []
    const stream = createRedactor([KEY]).stream<string>((line, tag) => {
      shown.push(`${tag} ${line}`)
      if (line.includes('***')) resolve(line)
    })
    stream.push('key: correct-h', 'a')
    expect(shown).toEqual([])
    expect(await promise).toBe('key: ***')
    stream.push('orse-42', 'b')
    stream.push('key: correct-h', 'c')
    stream.push('ello', 'd')
    expect(shown).toEqual(['a key: ***', 'b ***', 'c key: correct-h', 'd ello'])
    stream.push('corr', 'e')
    stream.flush()
    expect(shown.at(-1)).toBe('e ***')
  })

  it('by a source that prints between the lines of another', () => {
    const shown: string[] = []
    const stream = createRedactor([KEY]).stream<string>((line) => shown.push(line))
    stream.push('correct-h', '', 'app')
    stream.push('a line of ours', '', 'berth')
    stream.push('orse-42', '', 'app')
    stream.flush()
    expect(shown).toEqual(['***', 'a line of ours', '***'])
  })
})

describe('the time that a line takes', () => {
  const nested = Array.from({ length: 59 }, (_unused, index) => 'a'.repeat(6 + index))
  const spread = `a${'\u2003'.repeat(5)}`.repeat(2730)
  const lines = (pieces: string) => Array.from({ length: 20 }, () => pieces)

  /** Of this thread alone, so that a busy machine does not count. */
  function cpuSeconds(work: () => void): number {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1e6
  }

  it.each([
    ['nested values and much white space', nested, spread],
    ['nested values and nothing else', nested, 'a'.repeat(16_380)],
    ['nested values with spaces', nested.map((value) => `a ${value}`), spread],
    ['nested values that were printed over themselves', nested.map((value) => `a ${value}`), `\r${spread}`],
    ['nested values in base64', nested, Buffer.from('a'.repeat(12_000)).toString('base64')],
  ])('does not grow with the values: %s', (_what, values, line) => {
    const redactor = createRedactor(values)
    expect(cpuSeconds(() => redactor.lines(lines(line)))).toBeLessThan(5)
  })

  it('does not show a secret in such a line', () => {
    const redactor = createRedactor([...nested, KEY, 'a secret of words'])
    const shown = redactor.lines([`${spread}${KEY} ${spread}a secret\u2003of words ${spread.slice(0, 600)}aaaaaa${'\u2003'}b`]).join('')
    expect(shown).not.toMatch(/correct|horse|secret|words|aaaaaa/)
    expect(shown.match(/\*{3}/g)).toHaveLength(1)
  })

  it('is at most the steps that a line may take: then all of it is hidden, and what it may have gone on with', () => {
    const search = createSecretSearch(formsOf([KEY]))
    const stepsFor = (length: number) => (length > 100 ? 50 : 1000)
    const redactLine = createLineRedaction(search, { hasSpaces: false, stepsFor })
    const [first, second]: [PrintedLine, PrintedLine] = [
      { raw: 'key: correct-h', hidden: undefined },
      { raw: `orse-4 ${'x'.repeat(100)} ${KEY}`, hidden: undefined },
    ]
    const end = redactLine(first, [])
    expect(shownLine(first)).toBe('key: correct-h')
    redactLine(second, [{ end, from: 0 }])
    expect([first, second].map(shownLine)).toEqual(['key: ***', '*** [line hidden]'])
  })
})

const visible = fc.stringMatching(/^[!-)+-~]{8,90}$/)
const noise = fc.oneof(
  fc.constantFrom('\u0000', '\u0007', '\r', '\u001b[0m', '\u001b[2K', '\u001b]0;title\u0007', '\u001b]8;;x\u001b\\', '\u001b(B', '\u001b7'),
  fc.constantFrom('\u200b', '\u2060', '\ufeff', '\u00ad', '\u009b2J', '\u001bP1\u001b\\', '\u202e', '\u001b[\u00001m', '\u0008', '\u007f'),
  fc.stringMatching(/^[0-9;?]{0,6}$/).chain((given) => fc.constantFrom('m', 'J', 'H', 'K', 'A').map((end) => `\u001b[${given}${end}`)),
)
const breaks = fc.constantFrom('\n', '\r\n', '\n  ', '\n\n', '\n\u001b[1m')
/** The characters of a secret with something between some of them. */
const disturbed = (between: fc.Arbitrary<string>) =>
  visible.chain((secret) =>
    fc
      .array(fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: between }), {
        minLength: secret.length - 1,
        maxLength: secret.length - 1,
      })
      .map((gaps) => ({ secret, printed: secret.charAt(0) + gaps.map((gap, index) => gap + secret.charAt(index + 1)).join('') })),
  )

describe('no secret survives', () => {
  it('in any line', () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 40 })
      .filter((text) => text.replaceAll(/\s/g, '').length >= 8 && !/[\r\n*]/.test(text))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
        expect(redact(`${before}${text}${after}`, text)).not.toContain(text.trim())
      }),
    )
  })

  it('with control characters and line breaks inside', () => {
    fc.assert(
      fc.property(disturbed(fc.oneof(noise, breaks)), fc.string(), fc.string(), ({ secret, printed }, before, after) => {
        const shown = createRedactor([secret]).lines(`${before} ${printed} ${after}`.split('\n'))
        expect(seen(shown.map((line) => line.trim()))).not.toContain(secret)
      }),
      { numRuns: 500 },
    )
  })

  it('however the lines come: held back, released, one after the other', () => {
    fc.assert(
      fc.property(disturbed(breaks), fc.array(fc.boolean()), ({ secret, printed }, pauses) => {
        const shown: string[] = []
        const stream = createRedactor([secret]).stream<undefined>((line) => shown.push(line))
        for (const [index, line] of printed.split('\n').entries()) {
          stream.push(line, undefined)
          if (pauses[index] === true) stream.flush()
        }
        stream.flush()
        expect(shown).toHaveLength(printed.split('\n').length)
        expect(seen(shown.map((line) => line.trim()))).not.toContain(secret)
      }),
      { numRuns: 500 },
    )
  })

  it('in base64 of anything around it, in either alphabet, whole or in lines', () => {
    const long = fc.stringMatching(/^[!-)+-~]{12,2000}$/)
    const around = fc.uint8Array({ maxLength: 50 })
    fc.assert(
      fc.property(long, around, around, fc.constantFrom(20, 64, 76, 10_000), (secret, before, after, width) => {
        const bytes = Buffer.concat([before, Buffer.from(secret), after])
        for (const alphabet of ['base64', 'base64url'] as const) {
          const encoded = bytes.toString(alphabet)
          const lines = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
          const shown = createRedactor([secret]).lines(lines).join('')
          const places = secretPlaces(before.length, secret.length)
          expect(shown).not.toContain(encoded.slice(places.from, places.to))
        }
      }),
    )
  })

  it('in URLs and escaped texts, however much of it is escaped', () => {
    const ways = [
      (letter: string) => letter,
      (letter: string) => encodeURIComponent(letter),
      (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`,
      (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
      (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      (letter: string) => (/[\w]/.test(letter) ? letter : `\\${letter}`),
    ]
    const plain = fc.stringMatching(/^[A-Za-z0-9"'&/=? .:-]{4}[!-$&-)+-[\]-~]{8,40}$/)
    const choice = fc.array(fc.nat({ max: ways.length - 1 }), { minLength: 60, maxLength: 60 })
    fc.assert(
      fc.property(plain, choice, (secret, chosen) => {
        const value = secret.trim()
        const printed = value.replaceAll(/./g, (letter, index: number) => ways[chosen[index] ?? 0]?.(letter) ?? letter)
        expect(redact(`x=${printed}&`, value)).toMatch(/^x=\*\*\*&?$/)
      }),
    )
  })
})

/** Where in a base64 text the characters are that a part of its bytes alone decides. */
function secretPlaces(before: number, length: number): { from: number; to: number } {
  return { from: Math.ceil((before * 8) / 6), to: Math.floor(((before + length) * 8) / 6) }
}

it('many lines are redacted like a few, and others have turns meanwhile', async () => {
  const { lines, linesInTurns } = createRedactor(['a-secret-of-mine', 'another secret'])
  const printed = Array.from({ length: 60 }, (_, n) => `${'%41+'.repeat(2000)} a-secret-of-${n % 2 === 0 ? 'mine' : 'yours'} another`)
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const shown = await linesInTurns(printed)
  clearInterval(timer)
  expect(shown).toEqual(lines(printed))
  expect(shown[0]).not.toContain('a-secret-of-mine')
  expect(turns).toBeGreaterThan(3)
})
