import { expect, test } from 'vitest'
import { commandLine, example } from '../example.ts'

test('the example binds one folder and finds the two changes of its copy', () => {
  expect(commandLine('/tmp/a', 'ls').join(' ')).toContain('--bind /tmp/a /work')
  expect(example()).toEqual(['argv.ts: none', 'new: file'])
})
