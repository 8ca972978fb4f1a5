/** The bugs planted in deputies that storms about deputies catch by themselves, each with the first seed from 1, or else from 100,000 on. */
export const deputySeeds: Readonly<Record<string, number>> = {
  'a deputy acts without a majority': 41,
  'a vote in advance is not saved': 47,
  'two deputies are named for one term': 75,
  'the consent of a leader ends the promise to its deputy': 101375,
  'a member that has promised a deputy helps another candidate': 188,
  'the promise to a deputy is half as long': 156,
  'the promise to a deputy is forgotten on restart': 100561,
  'a candidate gets a vote in the term of a deputy': 2178,
  'a candidate asks in the term of a deputy': 47,
  'a vote in advance is forgotten when its term comes': 2804,
  'a deputy leads before its term is saved': 5,
  'proof about another process of the leader makes its deputy lead': 5,
  'evidence without proof makes a deputy lead': 50,
  'a deputy that has started again is silent': 245,
};

/** The others, and why no storm shows them. */
export const unseen: Readonly<Record<string, string>> = {
  'the rounds of a deputy start again':
    'a deputy that is named anew gets another term, and answers to earlier requests name the earlier term',
  'a vote in advance is given twice':
    'no leader names two deputies for one term, so that no member is asked twice',
  'a member promises support to a deputy that its leader did not name': 'needs a member that lies',
  'the disk forgets how long a deputy was promised support': 'these storms do not change the times',
  'a late request of a deputy shortens what was promised before a restart':
    'these storms do not change the times',
  'a change of members does not name the terms of deputies': 'needs clocks that are wrong, or a proof',
  'a candidate asks in a term that is taken': 'needs clocks that are wrong, or a proof',
  'a deputy gets a term that is taken': 'needs clocks that are wrong, or a proof',
  'a deputy is supported in another term than that of its leader':
    'a request names the process of the leader and the term of the deputy, which say the same',
  'the end of an earlier round frees the promise to a deputy':
    'a deputy that has ended is named for another term, and the end names the earlier one',
  'a deputy frees promises that its leader was given after it consented':
    'a leader that asks its deputy to take over begins no later round',
  'a leader changes the members while its deputy may act':
    'the change is committed only when the deputy has it, or may act no longer',
  'a leader goes on after it has asked its deputy to take over':
    'the host uses no token again whose lease has run out (H2), and resigns that leadership',
  'a leader whose lease has ended keeps its deputy':
    'a deputy acts on a lease of its own, which rests on none of its leader',
  'a new leader repeats which deputy the one before had':
    'a new leader names none before a heartbeat is answered; one without deputies repeats it, and answers no deputy',
  'a deputy acts without the answer of its leader':
    'what the leader commits meanwhile is found by the deputy before it publishes',
  'a deputy acts although its lease has ended':
    'the host lets no process act on a lease that has ended, and the deputy hears a majority before it publishes',
  'an answer to an earlier request of a deputy counts for its latest':
    'another leader has to be elected within a heartbeat after the promises have ended',
  'proof about another process frees the promise to a deputy':
    'what the leader commits then is found by the deputy before it publishes',
  'a leader supports a deputy that lacks its register':
    'a deputy that leads finds what was committed before it publishes',
  'a leader commits what its deputy lacks':
    'a deputy that leads finds what was committed before it publishes',
  'another disk under the name of a deputy accepts for it':
    'a deputy that leads finds what was committed before it publishes',
  'a deputy that leads publishes before a majority has answered it':
    'needs clocks that are wrong, or a proof',
  'a deputy that leads supersedes what it finds': 'needs clocks that are wrong, or a proof',
  'a member that has something newer confirms a deputy': 'needs clocks that are wrong, or a proof',
  'a member keeps from a deputy that leads what it lacks':
    'the deputy resigns, and the members elect one that has it',
  'a deputy that leads does not take what it is sent':
    'the deputy resigns, and the members elect one that has it',
};
