import type { SampleRange } from 'protocol'
import { call } from './http.ts'

/** Reads measured values. @param names up to 64 of `cluster`, `node/NAME`, `guest/VMID`, `storage/NAME`, `storage/NODE/NAME` */
export const readSamples = (names: readonly string[], range: SampleRange) =>
  call('GET /api/samples', { query: { range, series: names.join(',') } })
