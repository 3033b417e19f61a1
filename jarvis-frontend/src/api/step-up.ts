import { Value } from '../lib/value.ts'
import { call } from './http.ts'

/** An open password dialog. `answer` tells the waiting calls if the password was given. */
export type PasswordQuestion = { answer(isGiven: boolean): void }
export const passwordQuestion = new Value<PasswordQuestion | undefined>(undefined)
let asking: Promise<boolean> | undefined

/** Asks for the password, in one dialog for all calls that wait for it. @returns true if the password was given */
export function askForPassword(): Promise<boolean> {
  asking ??= new Promise((resolve) => {
    passwordQuestion.set({
      answer(isGiven) {
        asking = undefined
        passwordQuestion.set(undefined)
        resolve(isGiven)
      },
    })
  })
  return asking
}

/**
 * Gives the password again. For five minutes, this sign-in may make the calls that need it.
 * @throws ApiError `invalid_credentials`, `second_factor_required`, `too_many_requests`
 */
export const stepUp = (given: { password: string; code?: string }) => call('POST /api/auth/step-up', { body: given })
