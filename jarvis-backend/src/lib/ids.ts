import { randomBytes } from 'node:crypto'

/** `prefix` and 128 random bits in hex: not to be guessed, 36 characters at most with a three-letter prefix. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`
