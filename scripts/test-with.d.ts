import type { test } from 'vitest'
import type { Program } from './test-programs.js'

export function testWith(...needed: Program[]): typeof test
