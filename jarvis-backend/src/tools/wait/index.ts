import { waitFor } from './wait-for.ts'

/** The tools that wait for the cluster. */
export const waitTools = [waitFor]
