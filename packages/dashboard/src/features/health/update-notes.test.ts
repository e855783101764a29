import { expect, it } from 'vitest'
import { commandIn, notesOf } from './update-notes.ts'

it('makes a list of points, and leaves out the title and empty lines', () => {
  expect(notesOf('\nBerth 1.5.0\n\nWhat is new:\n* Volumes\n- Ports\n\nBerth 1.5.0', '1.5.0')).toEqual([
    { is: 'text', text: 'What is new:' },
    { is: 'list', points: ['Volumes', 'Ports'] },
    { is: 'text', text: 'Berth 1.5.0' },
  ])
})

it('keeps notes that are no list, and the title of another version', () => {
  expect(notesOf('Berth 1.4.0', '1.5.0')).toEqual([{ is: 'text', text: 'Berth 1.4.0' }])
  expect(notesOf('', '1.5.0')).toEqual([])
})

it('finds the command at the end of a message', () => {
  expect(commandIn('Run: `git pull && npm start`')).toEqual({ words: 'Run:', command: 'git pull && npm start' })
  expect(commandIn('No update feed is set.')).toEqual({ words: 'No update feed is set.', command: undefined })
})
