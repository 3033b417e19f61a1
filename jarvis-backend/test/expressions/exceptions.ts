import type { Found, Unread } from './collect.ts'

/** Expressions that may cost more than linear time. The list shrinks: an entry that nothing needs fails the test. */
export const slower: readonly { is(found: Found): boolean; power: number; because: string }[] = [
  {
    is: ({ file }) => file.startsWith('packages/demo-model/'),
    power: 4,
    because: 'It plays a model for one person who has no key. It reads 1,000 characters of a message, with short gaps.',
  },
  {
    is: ({ file, source }) =>
      (file.startsWith('packages/redaction/src/') || file.endsWith('workbench/files/grep.ts')) && source.endsWith('$'),
    power: 2,
    because: 'It looks for an unfinished secret at the end of a stream, and is given 25,000 characters at most.',
  },
  {
    is: ({ file }) => file.endsWith('redaction/src/attached-secrets.ts'),
    power: 2,
    because: 'It reads a value of mcp.json of at most 2,000 characters. A longer one is a secret as a whole.',
  },
]

/** Calls of `RegExp` that the test cannot read. */
export const unreadable: readonly { is(unread: Unread): boolean; because: string }[] = [
  {
    is: ({ file, code }) => file.endsWith('redaction/src/redact.ts') && code.includes('each'),
    because: 'The hints are read while the module loads.',
  },
  {
    is: ({ file, code }) => /\/(?:ui|redaction\/src)\/visible\.ts$/.test(file) && code.includes('Script='),
    because: 'The scripts are one character each.',
  },
  {
    is: ({ file, code }) => file.endsWith('redaction/src/own-secrets.ts') && code.includes('alternatives('),
    because: 'It is a list of configured secrets, each letter for letter.',
  },
  {
    is: ({ file }) => file.endsWith('workbench/files/grep.ts'),
    because: 'The model writes it. It is matched in a worker that is ended after a while.',
  },
]
