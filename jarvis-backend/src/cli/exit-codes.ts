/** Exit codes of the process. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usedWrongly: 2,
  waits: 3,
  refused: 4,
  modelFailed: 5,
  interrupted: 130,
} as const
export const exitWords: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed'],
  [exitCodes.usedWrongly, 'used wrongly'],
  [exitCodes.waits, 'a person is waited for'],
  [exitCodes.refused, 'denied, expired or black'],
  [exitCodes.modelFailed, 'the model failed'],
  [exitCodes.interrupted, 'Ctrl-C'],
]
