# Speedups with their data. Draw it again: gnuplot speedup.gp
if (!exists("svg")) svg = "speedup.svg"
if (!exists("png")) png = "speedup.png"
set encoding utf8
# middle, left, right, bottom, top, size
$bars << EOD
-0.3150 -0.4116 -0.2184 0 0.98341 0
-0.1050 -0.2016 -0.0084 0 1.006 1
0.1050 0.0084 0.2016 0 0.99415 2
0.3150 0.2184 0.4116 0 0.98828 3
0.6850 0.5884 0.7816 0 0.99247 0
0.8950 0.7984 0.9916 0 1.0126 1
1.1050 1.0084 1.2016 0 0.98862 2
1.3150 1.2184 1.4116 0 0.99359 3
1.6850 1.5884 1.7816 0 0.85013 0
2.1050 2.0084 2.2016 0 1.49 2
2.6850 2.5884 2.7816 0 1.3511 0
2.8950 2.7984 2.9916 0 0.81021 1
3.1050 3.0084 3.2016 0 0.73338 2
3.6850 3.5884 3.7816 0 1.0914 0
4.1050 4.0084 4.2016 0 1.0135 2
4.6850 4.5884 4.7816 0 1.0629 0
5.1050 5.0084 5.2016 0 1.0264 2
5.6850 5.5884 5.7816 0 0.9151 0
5.8950 5.7984 5.9916 0 0.97521 1
6.1050 6.0084 6.2016 0 0.99064 2
6.3150 6.2184 6.4116 0 0.98702 3
6.6850 6.5884 6.7816 0 0.9239 0
6.8950 6.7984 6.9916 0 0.96697 1
7.1050 7.0084 7.2016 0 1.0517 2
7.3150 7.2184 7.4116 0 0.98272 3
7.6850 7.5884 7.7816 0 1.7902 0
7.8950 7.7984 7.9916 0 1.5507 1
8.1050 8.0084 8.2016 0 2.2596 2
8.3150 8.2184 8.4116 0 2.3706 3
8.6850 8.5884 8.7816 0 1.0629 0
8.8950 8.7984 8.9916 0 0.93197 1
9.1050 9.0084 9.2016 0 0.92974 2
9.3150 9.2184 9.4116 0 0.93042 3
9.6850 9.5884 9.7816 0 1.0696 0
9.8950 9.7984 9.9916 0 0.94999 1
10.1050 10.0084 10.2016 0 0.951 2
10.3150 10.2184 10.4116 0 0.92423 3
10.6850 10.5884 10.7816 0 2.4113 0
11.1050 11.0084 11.2016 0 2.1224 2
11.6850 11.5884 11.7816 0 1.5564 0
12.1050 12.0084 12.2016 0 0.93885 2
12.6850 12.5884 12.7816 0 2.5337 0
12.8950 12.7984 12.9916 0 4.4775 1
13.1050 13.0084 13.2016 0 6.3346 2
13.6850 13.5884 13.7816 0 1.1356 0
14.6850 14.5884 14.7816 0 0.89401 0
14.8950 14.7984 14.9916 0 0.97206 1
15.1050 15.0084 15.2016 0 0.97383 2
15.3150 15.2184 15.4116 0 0.96266 3
15.6850 15.5884 15.7816 0 0.94135 0
15.8950 15.7984 15.9916 0 0.88334 1
16.1050 16.0084 16.2016 0 0.94428 2
16.3150 16.2184 16.4116 0 0.96009 3
16.6850 16.5884 16.7816 0 0.94189 0
16.8950 16.7984 16.9916 0 0.93045 1
17.1050 17.0084 17.2016 0 0.98338 2
17.3150 17.2184 17.4116 0 0.9918 3
17.6850 17.5884 17.7816 0 1.0096 0
17.8950 17.7984 17.9916 0 0.89447 1
18.1050 18.0084 18.2016 0 0.97312 2
18.3150 18.2184 18.4116 0 0.99163 3
18.6850 18.5884 18.7816 0 0.95274 0
18.8950 18.7984 18.9916 0 0.95349 1
19.1050 19.0084 19.2016 0 0.9989 2
19.3150 19.2184 19.4116 0 0.99543 3
19.6850 19.5884 19.7816 0 1.1575 0
19.8950 19.7984 19.9916 0 1.0749 1
20.1050 20.0084 20.2016 0 1.3942 2
20.6850 20.5884 20.7816 0 0.99303 0
20.8950 20.7984 20.9916 0 0.9822 1
21.1050 21.0084 21.2016 0 0.98054 2
21.6850 21.5884 21.7816 0 1.1207 0
22.1050 22.0084 22.2016 0 2.7165 2
22.6850 22.5884 22.7816 0 1.0632 0
23.1050 23.0084 23.2016 0 4.573 2
EOD
set lmargin at screen 0.04802
set rmargin at screen 0.90678
set tmargin at screen 0.84
set bmargin at screen 0.31
set xrange [-0.60:23.60]
set yrange [0:7.602]
set format y "%gx"
set ylabel "Speedup over the best peer (ratio of times)" textcolor rgb "#202020"
set border 3 linecolor rgb "#404040"
set xtics nomirror scale 0 noenhanced rotate by 50 right ('add f32' 0, 'add bf16' 1, 'conv2d f32' 2, 'conv2d bf16' 3, 'gelu f32' 4, 'gelu bf16' 5, 'layernorm f32' 6, 'layernorm bf16' 7, 'matmul f32' 8, 'matmul f16' 9, 'matmul bf16' 10, 'matmul_bias_act f32' 11, 'matmul_bias_act bf16' 12, 'mha f32' 13, 'mha bf16' 14, 'reduce_sum f32' 15, 'reduce_sum bf16' 16, 'rmsnorm f32' 17, 'rmsnorm bf16' 18, 'softmax f32' 19, 'softmax f16' 20, 'softmax bf16' 21, 'transpose f32' 22, 'transpose bf16' 23) textcolor rgb "#202020"
set ytics nomirror textcolor rgb "#202020"
set grid ytics linetype 1 linecolor rgb "#E4E4E4"
set style fill solid 1.0 noborder
set label 1000 'Speedup of the best kernels: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.04802, 0.955 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.04802, 0.895 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Fastest peer at each size / kernel, cold figures; above 1 the kernel is faster.' at screen 0.04802, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 front
set label '0.98' at -0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at -0.1050, 1.006 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 0.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 0.8950, 1.0126 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 1.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.85' at 1.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.49' at 2.1050, 1.49 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.35' at 2.6850, 1.3511 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.81' at 2.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.73' at 3.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.09' at 3.6850, 1.0914 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 4.1050, 1.0135 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 4.6850, 1.0629 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.03' at 5.1050, 1.0264 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.92' at 5.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 5.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 6.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 6.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.92' at 6.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 6.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.05' at 7.1050, 1.0517 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 7.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.79' at 7.6850, 1.7902 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.55' at 7.8950, 1.5507 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.26' at 8.1050, 2.2596 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.37' at 8.3150, 2.3706 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 8.6850, 1.0629 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 8.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 9.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 9.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.07' at 9.6850, 1.0696 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.95' at 9.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.95' at 10.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.92' at 10.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.41' at 10.6850, 2.4113 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.12' at 11.1050, 2.1224 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.56' at 11.6850, 1.5564 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 12.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.53' at 12.6850, 2.5337 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '4.48' at 12.8950, 4.4775 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '6.33' at 13.1050, 6.3346 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.14' at 13.6850, 1.1356 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.89' at 14.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 14.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 15.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.96' at 15.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 15.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.88' at 15.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 16.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.96' at 16.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.94' at 16.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.93' at 16.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 17.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 17.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.01' at 17.6850, 1.0096 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.89' at 17.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.97' at 18.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 18.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.95' at 18.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.95' at 18.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.998' at 19.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.995' at 19.3150, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.16' at 19.6850, 1.1575 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.07' at 19.8950, 1.0749 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.39' at 20.1050, 1.3942 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.99' at 20.6850, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 20.8950, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '0.98' at 21.1050, 1 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.12' at 21.6850, 1.1207 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '2.72' at 22.1050, 2.7165 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '1.06' at 22.6850, 1.0632 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set label '4.57' at 23.1050, 4.573 rotate by 90 left offset 0,0.6 textcolor rgb "#202020" font ",10" front
set key at screen 0.91525, 0.84 left top Left reverse noenhanced textcolor rgb "#202020" samplen 1.5 spacing 1.2 font ",11"
set terminal svg size 1770,600 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $bars using ($6==0?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#BFD7EA" notitle, \
  NaN with boxes linecolor rgb "#BFD7EA" title 'small', \
  $bars using ($6==1?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#7FB0D5" notitle, \
  NaN with boxes linecolor rgb "#7FB0D5" title 'medium', \
  $bars using ($6==2?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#3F7FB5" notitle, \
  NaN with boxes linecolor rgb "#3F7FB5" title 'large', \
  $bars using ($6==3?$1:NaN):5:2:3:4:5 with boxxyerror linecolor rgb "#0B3C6F" notitle, \
  NaN with boxes linecolor rgb "#0B3C6F" title 'xlarge', \
  NaN with lines linecolor rgb "#A3123F" linewidth 1.6 dashtype 2 title 'best peer' 
set terminal pngcairo size 1770,600 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
