import { test } from 'vitest'

test('leaves a variable', () => {
  process.env.LEFT_BEHIND = 'yes'
})
