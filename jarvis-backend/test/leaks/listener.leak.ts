import { test } from 'vitest'

test('leaves a listener', () => {
  process.on('SIGHUP', () => {})
})
