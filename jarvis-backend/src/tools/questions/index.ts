import { askOperator } from './ask-operator.ts'

/** The tools that ask a person. */
export const questionTools = [askOperator]
