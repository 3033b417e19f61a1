import type { PeopleReply } from 'protocol'
import { call } from './http.ts'
import { Remote } from './remote.ts'

export const readMe = () => call('GET /api/auth/me')
export const readSignIns = () => call('GET /api/auth/sign-ins')
/** @throws ApiError `not_found` if the sign-in has already ended */
export const endSignIn = (id: string) => call('DELETE /api/auth/sign-ins/:id', { params: { id } })
export const signOutOthers = () => call('POST /api/auth/sign-out-others')

export const readPeople = () => call('GET /api/people')
export const people = new Remote('people', readPeople, ['connect', 'people'])
/** A person, with the fields that the server shows to the reader. */
export type KnownPerson = PeopleReply['items'][number]
export const changePerson = (id: string, change: { name?: string; role?: string; disabled?: boolean }) =>
  call('PATCH /api/people/:id', { params: { id }, body: change })
export const removePerson = (id: string) => call('DELETE /api/people/:id', { params: { id } })
export const signOutPerson = (id: string) => call('POST /api/people/:id/sign-out', { params: { id } })
export const readSignInsOf = (id: string) => call('GET /api/people/:id/sign-ins', { params: { id } })

export const readRoles = () => call('GET /api/roles')

/** Asks the gate for its verdict on a call of a person. Runs nothing. */
export const tryRole = (body: { person: string; toolName: string; toolInput: Record<string, unknown> }) =>
  call('POST /api/roles/try', { body })
