import { useQuery } from '@tanstack/react-query'
import type { Status } from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const useStatus = () =>
  useQuery({ queryKey: ['status'], queryFn: () => call<Status>('GET', '/api/status'), staleTime: 300_000 }).data
