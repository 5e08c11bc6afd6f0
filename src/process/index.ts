/**
 * process/: what every program of ours needs: settings, log, errors for people, ports, signals and the end. It imports
 * gateway/ for defaults and types, and no other room.
 */
export {};
