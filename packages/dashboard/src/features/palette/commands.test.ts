import type { ListedApplication, Project } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { commandsOf, matching } from './commands.ts'

describe('the command palette', () => {
  const apps = [{ id: 4, name: 'shop', app_type: 'web' } as ListedApplication] // only what is looked at
  const projects = [{ id: 2, name: 'Market' } as Project] // only what is looked at

  it('finds apps and their pages by words in any order', () => {
    const commands = commandsOf({ apps, projects, mayAdmin: false })
    expect(matching(commands, 'shop').map(({ act }) => act)).toContainEqual({ to: '/apps/4' })
    expect(matching(commands, 'logs sho').map(({ act }) => act)).toEqual([{ to: '/apps/4/logs' }])
    expect(matching(commands, 'market new')[0]?.act).toEqual({ to: '/projects/2/new' })
  })

  it('does things, too', () => {
    const commands = commandsOf({ apps, projects, mayAdmin: false })
    expect(matching(commands, 'deploy shop')[0]?.act).toEqual({ deploy: 4 })
    expect(matching(commands, 'dark')[0]?.act).toEqual({ theme: 'dark' })
  })

  it('has the app itself first, and knows other words for what can be done', () => {
    const commands = commandsOf({ apps, projects, mayAdmin: true })
    expect(matching(commands, 'shop')[0]?.act).toEqual({ to: '/apps/4' })
    expect(matching(commands, 'variables shop')[0]?.act).toEqual({ to: '/apps/4/environment' })
    expect(matching(commands, 'invite')[0]?.act).toEqual({ to: '/admin/users' })
    expect(commands[0]?.note).toBe('App')
  })

  it('hides administration from those who are no admins', () => {
    expect(matching(commandsOf({ apps, projects, mayAdmin: false }), 'audit')).toEqual([])
    expect(matching(commandsOf({ apps, projects, mayAdmin: true }), 'audit')).toHaveLength(1)
  })

  it('puts what begins with the text first', () => {
    const commands = commandsOf({ apps, projects, mayAdmin: false })
    expect(matching(commands, 'app')[0]?.label).toBe('Apps')
  })
})
