import type { Grammar } from './ssh-grammar.ts'
export const programs: ReadonlyMap<string, Grammar> = new Map()
