import { freemem } from 'node:os'
import { ok, warn } from '../../src/doctor/check.ts'
import type { Inspector } from '../../src/doctor/inspector.ts'

const area = 'Memory'
const leastBytes = 256 * 1024 ** 2

/** Checks the free memory of the machine that JARVIS runs on. */
export const freeMemory: Inspector = {
  area,
  inspect() {
    const free = freemem()
    const text = `${Math.round(free / 1024 ** 2)} MiB of memory are free.`
    return [free < leastBytes ? warn(area, text, 'Give this machine or container more memory.') : ok(area, text)]
  },
}
