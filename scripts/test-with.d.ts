import type { test } from 'vitest'
import type { Program } from './test-programs.js'

export function testWith(program: Program): typeof test
