import { call } from './http.ts'

/** Creates a seed for the person's authenticator app. The second factor becomes active once its first code is confirmed. */
export const offerSecondFactor = () => call('POST /api/second-factor')
/**
 * Confirms the second factor with its first code. @returns the recovery codes. @throws ApiError `invalid_credentials`, `conflict` if the offer has
 * expired
 */
export const confirmSecondFactor = async (code: string) =>
  (await call('POST /api/second-factor/confirm', { body: { code } })).recoveryCodes
export const renewRecoveryCodes = async () => (await call('POST /api/second-factor/recovery-codes')).recoveryCodes
export const removeSecondFactor = () => call('DELETE /api/second-factor')
/** Removes another person's second factor. For owners. */
export const removeSecondFactorOf = (id: string) => call('DELETE /api/people/:id/second-factor', { params: { id } })
