;; Walks over one JSON record and copies what is sought of it; `record-walk.ts` says what for.
;;
;; Functions named after a token take where it begins and return where it ends, or 0 unless it is exactly what JSON.parse
;; takes, in bytes that are UTF-8. There is no white space between tokens. Behind the text stand sixteen NULs: no token
;; goes on over one, so nothing else need watch for the end.
;;
;; Memory: 1..255 what closes the objects and arrays that are open; 256..511 the class of each byte (1 can be escaped, 2
;; hexadecimal digit, 4 digit); 512..543 sixteen ones and sixteen NULs, to mask names by their length; from 1024 on what
;; is sought, by the caller. A group is the number of its members and, 16 bytes on, for each 32 bytes: the name and NULs
;; (16), the group within it or 0 (4), and 1 if a string is to be copied as the empty one (4).
(module
  (memory (export "memory") 1)
  (data (i32.const 290) "\01")                                   ;; "
  (data (i32.const 303) "\01\06\06\06\06\06\06\06\06\06\06")     ;; / 0-9
  (data (i32.const 321) "\02\02\02\02\02\02")                    ;; A-F
  (data (i32.const 348) "\01")                                   ;; \
  (data (i32.const 353) "\02\03\02\02\02\03")                    ;; a-f
  (data (i32.const 366) "\01\00\00\00\01\00\01")                 ;; n r t

  (data (i32.const 512) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff")

  ;; Which of sixteen bytes are control characters, quotes, backslashes or above 0x7F (negative, that is).
  (func $special (param $at i32) (result i32)
    (local $bytes v128)
    (local.set $bytes (v128.load align=1 (local.get $at)))
    (i8x16.bitmask (v128.or
      (v128.or
        (i8x16.lt_s (local.get $bytes) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020))
        (i8x16.eq (local.get $bytes) (v128.const i32x4 0x22222222 0x22222222 0x22222222 0x22222222)))
      (i8x16.eq (local.get $bytes) (v128.const i32x4 0x5c5c5c5c 0x5c5c5c5c 0x5c5c5c5c 0x5c5c5c5c)))))

  (func $class (param $at i32) (result i32)
    (i32.load8_u offset=256 (i32.load8_u (local.get $at))))

  ;; Whether it is a byte that continues a character.
  (func $continues (param $at i32) (result i32)
    (i32.eq (i32.and (i32.load8_u (local.get $at)) (i32.const 0xc0)) (i32.const 0x80)))

  ;; One above U+007F: of the shortest form, no surrogate, none above U+10FFFF.
  (func $character (param $at i32) (result i32)
    (local $first i32) (local $second i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (local.set $second (i32.load8_u offset=1 (local.get $at)))
    (if (i32.eqz (call $continues (i32.add (local.get $at) (i32.const 1)))) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xc2)) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xe0)) (then (return (i32.add (local.get $at) (i32.const 2)))))
    (if (i32.eqz (call $continues (i32.add (local.get $at) (i32.const 2)))) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xf0))
      (then
        (if (i32.and (i32.eq (local.get $first) (i32.const 0xe0)) (i32.lt_u (local.get $second) (i32.const 0xa0))) (then (return (i32.const 0))))
        (if (i32.and (i32.eq (local.get $first) (i32.const 0xed)) (i32.gt_u (local.get $second) (i32.const 0x9f))) (then (return (i32.const 0))))
        (return (i32.add (local.get $at) (i32.const 3)))))
    (if (i32.eqz (call $continues (i32.add (local.get $at) (i32.const 3)))) (then (return (i32.const 0))))
    (if (i32.gt_u (local.get $first) (i32.const 0xf4)) (then (return (i32.const 0))))
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xf0)) (i32.lt_u (local.get $second) (i32.const 0x90))) (then (return (i32.const 0))))
    (if (i32.and (i32.eq (local.get $first) (i32.const 0xf4)) (i32.gt_u (local.get $second) (i32.const 0x8f))) (then (return (i32.const 0))))
    (i32.add (local.get $at) (i32.const 4)))

  (func $escape (param $at i32) (result i32)
    (if (i32.and (call $class (i32.add (local.get $at) (i32.const 1))) (i32.const 1))
      (then (return (i32.add (local.get $at) (i32.const 2)))))
    (if (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 0x75)) (then (return (i32.const 0))))
    (if (i32.eqz (i32.and (i32.const 2)
          (i32.and (i32.and (call $class (i32.add (local.get $at) (i32.const 2))) (call $class (i32.add (local.get $at) (i32.const 3))))
                   (i32.and (call $class (i32.add (local.get $at) (i32.const 4))) (call $class (i32.add (local.get $at) (i32.const 5)))))))
      (then (return (i32.const 0))))
    (i32.add (local.get $at) (i32.const 6)))

  (func $string (param $at i32) (result i32)
    (local $mask i32) (local $byte i32)
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (loop $special
      (loop $plain
        (local.set $mask (call $special (local.get $at)))
        (if (i32.eqz (local.get $mask))
          (then (local.set $at (i32.add (local.get $at) (i32.const 16))) (br $plain))))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x22)) (then (return (i32.add (local.get $at) (i32.const 1)))))
      (if (i32.lt_u (local.get $byte) (i32.const 0x20)) (then (return (i32.const 0))))
      (local.set $at (if (result i32) (i32.eq (local.get $byte) (i32.const 0x5c))
        (then (call $escape (local.get $at))) (else (call $character (local.get $at)))))
      (br_if $special (local.get $at)))
    (i32.const 0))

  ;; With its colon.
  (func $key (param $at i32) (result i32)
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $at (call $string (local.get $at)))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x3a)) (then (return (i32.const 0))))
    (i32.add (local.get $at) (i32.const 1)))

  (func $digits (param $at i32) (result i32)
    (if (i32.eqz (i32.and (call $class (local.get $at)) (i32.const 4))) (then (return (i32.const 0))))
    (loop $more
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $more (i32.and (call $class (local.get $at)) (i32.const 4))))
    (local.get $at))

  (func $number (param $at i32) (result i32)
    (local $byte i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d)) (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (local.set $at (if (result i32) (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x30))
      (then (i32.add (local.get $at) (i32.const 1))) (else (call $digits (local.get $at)))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e)) (then (local.set $at (call $digits (i32.add (local.get $at) (i32.const 1))))))
    (if (i32.ne (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x65)) (then (return (local.get $at))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (local.set $byte (i32.load8_u (local.get $at)))
    (if (i32.or (i32.eq (local.get $byte) (i32.const 0x2b)) (i32.eq (local.get $byte) (i32.const 0x2d)))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (call $digits (local.get $at)))

  (func $scalar (param $at i32) (result i32)
    (local $word i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22)) (then (return (call $string (local.get $at)))))
    (local.set $word (i32.load align=1 (local.get $at)))
    (if (i32.or (i32.eq (local.get $word) (i32.const 0x65757274)) (i32.eq (local.get $word) (i32.const 0x6c6c756e)))
      (then (return (i32.add (local.get $at) (i32.const 4)))))
    (if (i32.and (i32.eq (local.get $word) (i32.const 0x736c6166)) (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x65)))
      (then (return (i32.add (local.get $at) (i32.const 5)))))
    (call $number (local.get $at)))

  ;; Of any kind. Nothing goes down into it, so it may be 255 deep.
  (func $value (param $at i32) (result i32)
    (local $depth i32) (local $closer i32)
    (loop $value
      (local.set $closer (i32.load8_u (local.get $at)))
      (if (i32.or (i32.eq (local.get $closer) (i32.const 0x7b)) (i32.eq (local.get $closer) (i32.const 0x5b)))
        (then
          (local.set $closer (i32.add (local.get $closer) (i32.const 2)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (if (i32.ne (i32.load8_u (local.get $at)) (local.get $closer))
            (then
              (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
              (if (i32.eq (local.get $depth) (i32.const 256)) (then (return (i32.const 0))))
              (i32.store8 (local.get $depth) (local.get $closer))
              (if (i32.eq (local.get $closer) (i32.const 0x7d)) (then (local.set $at (call $key (local.get $at)))))
              (br_if $value (local.get $at))
              (return (i32.const 0))))
          (local.set $at (i32.add (local.get $at) (i32.const 1))))
        (else (local.set $at (call $scalar (local.get $at)))))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      (loop $close
        (if (i32.eqz (local.get $depth)) (then (return (local.get $at))))
        (local.set $closer (i32.load8_u (local.get $depth)))
        (if (i32.eq (i32.load8_u (local.get $at)) (local.get $closer))
          (then
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $close))))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x2c)) (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.eq (local.get $closer) (i32.const 0x7d)) (then (local.set $at (call $key (local.get $at)))))
      (br_if $value (local.get $at)))
    (i32.const 0))

  ;; A key in ASCII without escapes, which can be told by its bytes, with its colon.
  (func $plainKey (param $at i32) (result i32)
    (local $mask i32)
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (loop $plain
      (local.set $mask (call $special (local.get $at)))
      (if (i32.eqz (local.get $mask))
        (then (local.set $at (i32.add (local.get $at) (i32.const 16))) (br $plain))))
    (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
    (if (i32.ne (i32.load16_u align=1 (local.get $at)) (i32.const 0x3a22)) (then (return (i32.const 0))))
    (i32.add (local.get $at) (i32.const 2)))

  ;; Where a group has the member of that name; 0 if it has none.
  (func $member (param $group i32) (param $name i32) (param $length i32) (result i32)
    (local $last i32) (local $wanted v128)
    (if (i32.gt_u (local.get $length) (i32.const 15)) (then (return (i32.const 0))))
    (local.set $wanted (v128.and
      (v128.load align=1 (local.get $name))
      (v128.load align=1 (i32.sub (i32.const 528) (local.get $length)))))
    (local.set $last (i32.add (local.get $group) (i32.shl (i32.load (local.get $group)) (i32.const 5))))
    (local.set $group (i32.sub (local.get $group) (i32.const 16)))
    (loop $next
      (local.set $group (i32.add (local.get $group) (i32.const 32)))
      (if (i32.gt_u (local.get $group) (local.get $last)) (then (return (i32.const 0))))
      (br_if $next (i32.eqz (i8x16.all_true (i8x16.eq (local.get $wanted) (v128.load align=1 (local.get $group)))))))
    (local.get $group))

  (global $out (mut i32) (i32.const 0))

  (func $put (param $byte i32)
    (i32.store8 (global.get $out) (local.get $byte))
    (global.set $out (i32.add (global.get $out) (i32.const 1))))

  (func $copy (param $from i32) (param $to i32)
    (memory.copy (global.get $out) (local.get $from) (i32.sub (local.get $to) (local.get $from)))
    (global.set $out (i32.add (global.get $out) (i32.sub (local.get $to) (local.get $from)))))

  ;; Copies the members of the group that it has.
  (func $object (param $at i32) (param $group i32) (result i32)
    (local $name i32) (local $value i32) (local $found i32) (local $child i32) (local $some i32)
    (call $put (i32.const 0x7b))
    (if (i32.eq (i32.load8_u offset=1 (local.get $at)) (i32.const 0x7d))
      (then
        (call $put (i32.const 0x7d))
        (return (i32.add (local.get $at) (i32.const 2)))))
    (loop $next
      (local.set $name (i32.add (local.get $at) (i32.const 2)))
      (local.set $value (call $plainKey (i32.add (local.get $at) (i32.const 1))))
      (if (i32.eqz (local.get $value)) (then (return (i32.const 0))))
      (local.set $found (call $member (local.get $group) (local.get $name)
        (i32.sub (i32.sub (local.get $value) (i32.const 2)) (local.get $name))))
      (local.set $child (i32.const 0))
      (if (local.get $found)
        (then
          (if (local.get $some) (then (call $put (i32.const 0x2c))))
          (local.set $some (i32.const 1))
          (call $copy (i32.sub (local.get $name) (i32.const 1)) (local.get $value))
          (if (i32.eq (i32.load8_u (local.get $value)) (i32.const 0x7b))
            (then (local.set $child (i32.load offset=16 (local.get $found)))))))
      (if (local.get $child)
        (then (local.set $at (call $object (local.get $value) (local.get $child))))
        (else
          (local.set $at (call $value (local.get $value)))
          (if (local.get $found)
            (then
              (if (i32.and (i32.load offset=20 (local.get $found)) (i32.eq (i32.load8_u (local.get $value)) (i32.const 0x22)))
                (then (call $put (i32.const 0x22)) (call $put (i32.const 0x22)))
                (else (if (local.get $at) (then (call $copy (local.get $value) (local.get $at))))))))))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      (br_if $next (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2c))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x7d)) (then (return (i32.const 0))))
    (call $put (i32.const 0x7d))
    (i32.add (local.get $at) (i32.const 1)))

  ;; Returns where the copy ends, 0 if the text is not one object.
  (func (export "walk") (param $at i32) (param $end i32) (param $group i32) (param $out i32) (result i32)
    (global.set $out (local.get $out))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (if (i32.ne (call $object (local.get $at) (local.get $group)) (local.get $end)) (then (return (i32.const 0))))
    (global.get $out))
)
