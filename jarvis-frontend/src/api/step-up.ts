import type { StepUpReply } from 'jarvis-backend/protocol'
import { Value } from '../lib/value.ts'
import { call } from './http.ts'

/** Waits for the person; told whether the password was given. */
export type PasswordQuestion = { answer(isGiven: boolean): void }
export const passwordQuestion = new Value<PasswordQuestion | undefined>(undefined)
let asking: Promise<boolean> | undefined

/** Asks for the password in a dialog, once for all that need it meanwhile. @returns whether it was given */
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

/** Lets this sign-in do for five minutes what asks for the password. @throws ApiError `invalid_credentials`, `too_many_requests` */
export const stepUp = (password: string) => call<StepUpReply>('POST', '/api/auth/step-up', { password })
