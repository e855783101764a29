import { expect, it } from 'vitest'
import { fieldWords, valueWords } from './value-words.ts'

it.each([
  ['projectId', 'Project ID'],
  ['git_clone_url', 'Git clone URL'],
  ['name', 'Name'],
  ['cpuLimit', 'CPU limit'],
])('the field %s is called %s', (name, words) => expect(fieldWords(name)).toBe(words))

it.each([
  ['shop', 'shop'],
  ['', 'Empty'],
  [null, 'None'],
  [true, 'Yes'],
  [3, '3'],
  [['ssd', 'zone-a'], 'ssd, zone-a'],
  [[], 'None'],
  [{}, 'None'],
  [{ hostPort: 8080, isOpen: false }, 'Host port: 8080; Is open: No'],
])('the value %j is shown as "%s"', (value, words) => expect(valueWords(value)).toBe(words))
