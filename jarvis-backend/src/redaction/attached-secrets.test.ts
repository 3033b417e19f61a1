import { expect, test } from 'vitest'
import { secretsOf } from './attached-secrets.ts'

test('a name that ends in or holds the word pass is a secret’s, and a longer word is not', () => {
  const args = ['--db-pass', 'alpha', '--pass=beta', '--passthrough=on']
  const env = { MYSQL_PASS: 'gamma', PASS: 'delta', SSH_PASSPHRASE: 'epsilon', COMPASS: 'north', BYPASS_CACHE: 'x' }
  const config = { type: 'stdio' as const, command: 'a', args, env, enabled: true, lazy: false }
  expect(secretsOf(config).toSorted()).toEqual(['alpha', 'beta', 'delta', 'epsilon', 'gamma'])
})
