import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'

/** The parts of an examination that differ between a running server and the command line. Each check ends when its signal aborts. */
export type Examination = {
  clock: Clock
  /** The path of `.env`. Absent: the file is not checked. */
  envPath?: string
  /** The checks also send a request to the model's server. */
  asksModel: boolean
  /** Faults that a server has noticed since its start. */
  seen?(): DoctorCheck[]
  database(): Promise<DoctorCheck[]>
  embeddings(signal: AbortSignal): Promise<DoctorCheck[]>
  port(signal: AbortSignal): Promise<DoctorCheck[]>
  redact(text: string): string
}

/** Inspects one area and changes nothing. Inspectors are known without a running server. */
export type Inspector = {
  /** The first word of its lines, and of the line if it throws. */
  area: string
  /** Returns a line for each thing that was inspected; none if the area is not set up. An exception becomes a `bad` line. */
  inspect(at: { config: Config; signal: AbortSignal; parts: Examination }): DoctorCheck[] | Promise<DoctorCheck[]>
}
