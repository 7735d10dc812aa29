import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json';
import { agentToolSettings } from '../../src/base/agentMode';
import { chatCommands } from '../../src/chat/followUps';
import { commandIds } from '../../src/base/commandIds';
import { serverCommands } from '../../src/base/protocol';

interface Setting {
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly scope?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}

const contributes = manifest.contributes;
const settings = Object.entries(contributes.configuration.properties) as [string, Setting][];
const titles = contributes.commands.map((command) => `${command.category}: ${command.title}`);

describe('the manifest', () => {
  it('contributes exactly the commands that the extension registers', () => {
    expect(contributes.commands.map((command) => command.command).sort()).toEqual([...commandIds].sort());
  });

  it('names its commands as the wire contract does', () => {
    expect(titles).toEqual(
      expect.arrayContaining([
        'Helix: Context Packet for Question',
        'Helix: Context Packet for Selection',
        'Helix: Context Packet for Symbol',
        'Helix: Context Packet for File',
        'Helix: Explain Verdict',
        'Helix: Explain This Answer',
        'Helix: Open Dashboard',
        'Helix: Show Status',
        'Helix: Refresh Index',
        'Helix: Rebuild Index',
        'Helix: Pause Indexing',
        'Helix: Resume Indexing',
        'Helix: Restart',
        'Helix: Show Logs',
        'Helix: Doctor',
        'Helix: Debug Information',
        'Helix: Choose Upstream',
        'Helix: Copy Configuration for Continue',
        'Helix: Copy Configuration for Cursor',
        'Helix: Copy Configuration for Cline',
        'Helix: Copy Configuration for Zed',
        'Helix: Copy Configuration for Claude',
        'Helix: Copy Configuration for Codex',
      ]),
    );
  });

  it('takes no name that the language client registers for the server', () => {
    const taken = new Set<string>(Object.values(serverCommands));
    expect(commandIds.filter((id) => taken.has(id))).toEqual([]);
  });

  it('gives every menu, key and walkthrough link a command that exists', () => {
    const known = new Set<string>(commandIds);
    const menus = Object.values(contributes.menus).flat() as { command?: string }[];
    const used = [
      ...menus.flatMap((entry) => entry.command ?? []),
      ...contributes.keybindings.map((key) => key.command),
      ...contributes.walkthroughs.flatMap((one) =>
        one.steps.flatMap((step) => [...step.description.matchAll(/command:([\w.]+)/g)].map((match) => match[1] ?? '')),
      ),
    ];
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((id) => !known.has(id))).toEqual([]);
  });

  it('says of every setting what it does, where it applies and what it is by default', () => {
    expect(settings.length).toBeGreaterThan(5);
    for (const [name, setting] of settings) {
      expect(name).toMatch(/^helix\./);
      expect(setting.description ?? setting.markdownDescription, name).toBeTruthy();
      expect(setting.scope, name).toMatch(/^(application|machine|machine-overridable|window|resource)$/);
      expect(setting.default, name).toBeDefined();
      if (setting.enum && setting.enumDescriptions) {
        expect(setting.enumDescriptions.length, name).toBe(setting.enum.length);
      }
    }
  });

  it('offers @helix with the commands that answer, and tools one way at a time', () => {
    const [participant] = contributes.chatParticipants;
    expect(participant?.name).toBe('helix');
    expect(participant?.commands.map((command) => command.name)).toEqual([...chatCommands]);
    expect(contributes.languageModelTools.map((tool) => tool.when)).toEqual(
      contributes.languageModelTools.map(() => 'helix.agentTools == tools'),
    );
    expect(contributes.configuration.properties['helix.agentTools'].enum).toEqual([...agentToolSettings]);
    expect(contributes.languageModelChatProviders.map(({ vendor }) => vendor)).toEqual(['helix']);
    expect(contributes.mcpServerDefinitionProviders).toHaveLength(1);
  });

  it('is built against the oldest editor it says it runs in', () => {
    const oldest = manifest.engines.vscode.replace('^', '');
    expect(manifest.devDependencies['@types/vscode']).toBe(oldest);
    const installed = JSON.parse(readFileSync('node_modules/@types/vscode/package.json', 'utf8')) as {
      version: string;
    };
    expect(installed.version).toBe(oldest);
  });

  it('activates cheaply, is limited without trust, and declares virtual workspaces', () => {
    expect(manifest.activationEvents).toEqual(['onStartupFinished']);
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe('limited');
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
    expect(manifest.capabilities.virtualWorkspaces.description).toBeTruthy();
  });

  it('restricts every setting that a workspace could bring along', () => {
    const users = ['application', 'machine'];
    const bringable = settings.filter(([, { scope = '' }]) => !users.includes(scope)).map(([name]) => name);
    expect([...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort()).toEqual(bringable.sort());
  });

  it('has one walkthrough of at most five steps', () => {
    expect(contributes.walkthroughs).toHaveLength(1);
    expect(contributes.walkthroughs[0]?.steps.length).toBeLessThanOrEqual(5);
    const asking = contributes.walkthroughs[0]?.steps.find(({ id }) => id === 'packet');
    expect(asking?.completionEvents, 'neither the view nor a question that failed').toEqual([
      'onContext:helix.answered',
    ]);
  });

  it('depends on nothing that sends telemetry, and its lock file names no registry', () => {
    const lock = readFileSync('package-lock.json', 'utf8');
    expect(lock).not.toContain('"resolved"');
    const runtime = Object.entries((JSON.parse(lock) as { packages: Record<string, { dev?: boolean }> }).packages)
      .filter(([name, one]) => name && !one.dev)
      .map(([name]) => name);
    expect(runtime.filter((name) => /telemetry|applicationinsights|sentry|analytics/i.test(name))).toEqual([]);
  });
});
