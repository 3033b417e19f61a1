import type {
  DoctorReply,
  SetupClusterBody,
  SetupProbeReply,
  SetupReply,
  SetupSaveReply,
  SetupTestReply,
} from 'protocol'
import { call } from './http.ts'

export const readSetup = () => call<SetupReply>('GET', '/api/setup')
export const probeCluster = (url: string) => call<SetupProbeReply>('POST', '/api/setup/probe', { url })
export const testCluster = (cluster: SetupClusterBody) => call<SetupTestReply>('POST', '/api/setup/test', cluster)
export const saveCluster = (cluster: SetupClusterBody) => call<SetupSaveReply>('POST', '/api/setup/save', cluster)

export const forgetCluster = () => call('DELETE', '/api/setup')

export const examine = () => call<DoctorReply>('GET', '/api/doctor')
/** Runs the doctor's checks, but sends no request to the model. */
export const examineParts = () => call<DoctorReply>('GET', '/api/doctor?model=0')
