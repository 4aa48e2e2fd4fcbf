// Layout files: which dimension is split over which mesh axis. See docs/layouts.md.
//
// `file` states the whole language; the parser asks for one `entry` at a time, so that a mistake
// costs one entry. What the grammar lets through and the language does not have (`.` between
// entries, a number as an axis) is refused in plain words by src/frontend/layout.
grammar Layout;

file : sep* (entry sep*)* EOF ;
sep  : ';' | ',' | DOT ;

entry
  : '[' ']'                                              # Nothing
  | MESH axis (sep? axis)*                               # Mesh
  | SET word '=' (word (':' (word | NUMBER | QUANTITY))? | NUMBER | QUANTITY) # Setting
  | (PARAM | VALUE | IN) scopePath (',' scopePath)* OPEN sep* (splits sep*)* CLOSE # Scope
  | PIPELINE STRING (',' STRING)* OPEN sep* (pipelineField sep*)* CLOSE # Pipeline
  | HARDWARE word (OPEN sep* (hardwareLine sep*)* CLOSE)? # Hardware
  | splits                                               # Rule
  ;

/// The text of --mesh.
meshText : MESH? (axis (sep? axis)*)? sep* EOF ;
axis     : word ('=' | ':') (NUMBER | QUANTITY) ;

scopePath : STRING QUESTION? ;

/// A number is no axis; it is accepted here to be answered with what was meant.
splits : pattern (QUESTION | BANG)* ':' (unsplit | target ('+' target)*) ;
unsplit   : '[' ']' ;
pattern   : word | PATTERN ;
target    : word | NUMBER | QUANTITY ;

pipelineField : word '=' pipelineWord ('+' pipelineWord)* ;
pipelineWord  : word | NUMBER | QUANTITY | ONE_F_ONE_B ;

hardwareLine
  : CHIP field (sep? field)*                             # Chip
  | LINK word NAME? (sep? field)*                        # Link
  ;
field : word '=' (NUMBER | QUANTITY | NAME) ;

/// Words of the language stay names wherever a name is meant.
word : NAME | MESH | PARAM | VALUE | IN | PIPELINE | HARDWARE | CHIP | LINK | SET ;

MESH     : 'mesh' ;
PARAM    : 'param' ;
VALUE    : 'value' ;
IN       : 'in' ;
PIPELINE : 'pipeline' ;
HARDWARE : 'hardware' ;
CHIP     : 'chip' ;
LINK     : 'link' ;
SET      : 'set' ;
QUESTION : '?' ;
BANG     : '!' ;
DOT      : '.' ;
ONE_F_ONE_B : '1f1b' ;
OPEN     : '{' ;
CLOSE    : '}' ;

NAME     : [A-Za-z_] [A-Za-z_0-9]* '\''* ;
PATTERN  : [A-Za-z_*] [A-Za-z_0-9*]* '\''* ;
NUMBER   : DIGITS ('.' DIGITS)? EXPONENT? ;
QUANTITY : DIGITS ('.' DIGITS)? EXPONENT? [A-Za-z_%]+ ('/' [A-Za-z]+)? ;
STRING   : '"' ~["\r\n]* '"' ;
COMMENT  : '#' ~[\r\n]* -> channel(HIDDEN) ;
WS       : [ \t\r\n]+ -> channel(HIDDEN) ;
/// Whatever else: the lexer never fails, the parser says what it met.
OTHER    : . ;
fragment DIGITS   : [0-9]+ ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;
