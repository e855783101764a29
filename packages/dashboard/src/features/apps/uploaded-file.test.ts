import { expect, it } from 'vitest'
import { contentOf } from './uploaded-file.ts'

it.each([
  ['a text', [0x68, 0xc3, 0xa4, 0x0a], { encoding: 'utf8', content: 'hä\n' }],
  ['a text with a byte order mark', [0xef, 0xbb, 0xbf, 0x61], { encoding: 'utf8', content: '\ufeffa' }],
  ['bytes that are no characters', [0xff, 0xfe, 0x01], { encoding: 'base64', content: '//4B' }],
  ['NUL', [0x61, 0x00], { encoding: 'base64', content: 'YQA=' }],
  ['nothing', [], { encoding: 'utf8', content: '' }],
])('%s is sent so that every byte arrives', (_name, bytes, sent) => {
  expect(contentOf(new Uint8Array(bytes))).toEqual(sent)
})
