import { useQuery } from '@tanstack/react-query'
import type { Page, ToolInfo } from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const useTools = () =>
  useQuery({ queryKey: ['tools'], queryFn: () => call<Page<ToolInfo>>('GET', '/api/tools'), staleTime: 300_000 }).data?.items
