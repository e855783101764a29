import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { referenceTo, valueParts } from './references.ts'

const partsOf = (value: string) => [...valueParts(value)]
const text = (written: string) => ({ is: 'text', written, text: written })

describe('a value', () => {
  it('is text and references, in their order', () => {
    expect(partsOf('a ${{db.URL}}/x')).toEqual([
      text('a '),
      { is: 'reference', written: '${{db.URL}}', source: 'db', name: 'URL' },
      text('/x'),
    ])
    expect(partsOf('${{ my-app-2.Some.key-1 }}')).toMatchObject([{ source: 'my-app-2', name: 'Some.key-1' }])
    expect(partsOf('')).toEqual([])
  })

  it('has the mark itself where the dollar is doubled', () => {
    expect(partsOf('$${{db.URL}}')).toEqual([{ is: 'text', written: '$${{', text: '${{' }, text('db.URL}}')])
  })

  it.each(['$', '${', '${A}', '$A', '{{a.B}}', '${{', '${{a.B', '${{a.B}', '}}', '${ {a.B}}', '${{ {"json": 1} }}'])(
    'is plain text without the whole mark: %s',
    (value) => expect(partsOf(value).map(({ is }) => is)).not.toContain('reference'),
  )

  it.each(['${{}}', '${{db}}', '${{.URL}}', '${{db.}}', '${{DB.URL}}', '${{db.9}}', '${{a b.C}}'])(
    'cannot be read where it is %s',
    (value) => expect(partsOf(value)).toEqual([{ is: 'unreadable', written: value }]),
  )

  it('is what its parts were written as, whatever it is', () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom('$', '{', '}', '${{', '}}', '$${{', 'a.B', '${{a.B}}'), fc.string()))
    fc.assert(
      fc.property(pieces, (list) => {
        const value = list.join('')
        expect(
          partsOf(value)
            .map(({ written }) => written)
            .join(''),
        ).toBe(value)
      }),
    )
  })

  it('reads back the reference that was made for a source and a name', () => {
    expect(partsOf(referenceTo('db', 'URL'))).toEqual([{ is: 'reference', written: '${{db.URL}}', source: 'db', name: 'URL' }])
  })
})
