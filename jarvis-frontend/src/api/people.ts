import type { MeReply, PeopleReply, RoleInfo, SignInInfo, TryRoleReply } from 'protocol'
import { call } from './http.ts'

const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`

export const readMe = () => call<MeReply>('GET', '/api/auth/me')
export const readSignIns = () => call<{ items: SignInInfo[] }>('GET', '/api/auth/sign-ins')
/** @throws ApiError `not_found` if the sign-in has already ended */
export const endSignIn = (id: string) => call('DELETE', at('/api/auth/sign-ins', id))
export const signOutOthers = () => call('POST', '/api/auth/sign-out-others')

export const readPeople = () => call<PeopleReply>('GET', '/api/people')
/** A person, with the fields that the server shows to the reader. */
export type KnownPerson = PeopleReply['items'][number]
export const changePerson = (id: string, change: { name?: string; role?: string; disabled?: boolean }) =>
  call('PATCH', at('/api/people', id), change)
export const removePerson = (id: string) => call('DELETE', at('/api/people', id))
export const signOutPerson = (id: string) => call('POST', `${at('/api/people', id)}/sign-out`)
export const readSignInsOf = (id: string) => call<{ items: SignInInfo[] }>('GET', `${at('/api/people', id)}/sign-ins`)

export const readRoles = () => call<{ items: RoleInfo[] }>('GET', '/api/roles')

/** Asks the gate for its verdict on a call of a person. Runs nothing. */
export const tryRole = (body: { person: string; toolName: string; toolInput: Record<string, unknown> }) =>
  call<TryRoleReply>('POST', '/api/roles/try', body)
