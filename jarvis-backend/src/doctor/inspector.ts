import type { DoctorCheck } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'

/** Parts of an examination that differ inside a server and beside one. Each check ends with the signal. */
export type Examination = {
  clock: Clock
  /** The path of `.env`. Absent: the file is not checked. */
  envPath?: string
  /** The model's server is asked too. */
  asksModel: boolean
  /** Faults that a server has noticed since its start. */
  seen?(): DoctorCheck[]
  database(): Promise<DoctorCheck[]>
  embeddings(signal: AbortSignal): Promise<DoctorCheck[]>
  port(signal: AbortSignal): Promise<DoctorCheck[]>
  redact(text: string): string
}

/** Looks at one area and changes nothing. It is known without a running server. */
export type Inspector = {
  /** The first word of its lines, and of the line if it throws. */
  area: string
  /** Returns a line for each thing that it looked at; none if the area is not set up. An exception becomes a `bad` line. */
  inspect(at: { config: Config; signal: AbortSignal; parts: Examination }): DoctorCheck[] | Promise<DoctorCheck[]>
}
