import type { RecoveryCodesReply, SecondFactorOffer } from 'protocol'
import { call } from './http.ts'

/** A seed for the authenticator app of the person who asks; it counts from its first code. */
export const offerSecondFactor = () => call<SecondFactorOffer>('POST', '/api/second-factor')
/** @returns the recovery codes. @throws ApiError `invalid_credentials`, `conflict` where the offer is too old */
export const confirmSecondFactor = async (code: string) =>
  (await call<RecoveryCodesReply>('POST', '/api/second-factor/confirm', { code })).recoveryCodes
export const renewRecoveryCodes = async () =>
  (await call<RecoveryCodesReply>('POST', '/api/second-factor/recovery-codes')).recoveryCodes
export const removeSecondFactor = () => call('DELETE', '/api/second-factor')
/** Removes another person's second factor. For owners. */
export const removeSecondFactorOf = (id: string) =>
  call('DELETE', `/api/people/${encodeURIComponent(id)}/second-factor`)
